// Links to give away: copied, or shared where the browser can.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.onclick = async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  };
}
for (const button of document.querySelectorAll("[data-share]")) {
  button.hidden = !navigator.share;
  button.onclick = () => navigator.share({ title: document.title, url: button.dataset.share }).catch(() => {}); // cancelled
}
for (const field of document.querySelectorAll(".secret")) field.onfocus = () => field.select();
