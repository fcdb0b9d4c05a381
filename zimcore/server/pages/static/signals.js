// What happens on the page of a game: parts that show it listen here, so that what makes it happen need not know them.
class Signal {
  #listeners = [];

  /** Calls a function from now on; those that listen are called in the order in which they came. */
  on(listener) {
    this.#listeners.push(listener);
  }

  send(...what) {
    for (const listener of this.#listeners) listener(...what);
  }
}

/** All steps were read, and stand in the log. */
export const stepsLoaded = new Signal();
/** Other pieces stand on the board. */
export const boardDrawn = new Signal();
/** A step is shown: its number. */
export const stepShown = new Signal();
/** What can be played now has been read anew. */
export const choicesRead = new Signal();
