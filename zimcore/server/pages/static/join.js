// The secret of a link comes after the #. It is moved into the form, out of the address bar and the history.
const form = document.getElementById("join");

function take() {
  const secret = location.hash.slice(1);
  if (!/^zim_[a-z]+_/.test(secret)) return; // something else: the field stays, for a link to be pasted
  history.replaceState(null, "", location.pathname);
  form.elements.link.value = secret;
  document.getElementById("link-field").hidden = true;
  document.getElementById("has-link").hidden = false;
  const seat = /zim_link_/.test(secret);
  document.getElementById("by-field").hidden = !seat;
  form.querySelector("button").textContent = seat ? "Take the seat" : "Go on";
  if (seat) {
    form.elements.by.focus();
    tell(secret).catch(() => {}); // the form works without it, too
  }
  named();
}

async function tell(link) {
  const answer = await fetch("/join/about", {
    method: "POST",
    body: new URLSearchParams({ link, key: form.elements.key.value }),
  });
  if (!answer.ok) return;
  const about = document.getElementById("about");
  about.innerHTML = await answer.text();
  if (about.querySelector("[data-own]")) {
    document.getElementById("by-field").hidden = true; // the seat has a name already
    form.elements.by.value = "";
    form.elements.by.required = false;
    form.querySelector("button").textContent = "Open my seat here";
  }
  if (!about.querySelector(".ended")) return;
  document.getElementById("has-link").hidden = true; // so that another link can be pasted
  document.getElementById("link-field").hidden = false;
  form.elements.link.value = "";
}

const named = () => {
  form.elements.by.required = /zim_link_/.test(form.elements.link.value);
};

form.addEventListener("input", named);

addEventListener("hashchange", take);
take();
