// Messages: in the flow of the page, next to their cause, so that they cover nothing.

// Time until a note disappears by itself, in milliseconds.
const NOTE_TIME = 6000;

export class Messages {
  constructor(element, spoken) {
    Object.assign(this, { element, spoken });
    this.home = element.parentElement;
    this.timer = 0;
    this.isHeld = false;
    /** The button that is to be pressed again. */
    this.asked = null;
    element.addEventListener("click", () => this.clear());
  }

  get text() { return this.element.textContent; }

  /** Shows a note for some seconds. */
  note(text, place) {
    this.put(text, place);
    this.timer = setTimeout(() => this.clear(), NOTE_TIME);
  }

  /** Whether a button is pressed for the second time while its question is shown; asks the question at the first. */
  isConfirmed(button, question, place) {
    const isAgain = this.asked === button && this.text === question;
    this.asked = isAgain ? null : button;
    if (isAgain) this.clear();
    else this.note(question, place);
    return isAgain;
  }

  /** Shows an error until its cause is gone: until `clear` or the next message. */
  error(error, place) {
    if (error.name !== "AbortError") this.put(error.message, place);
  }

  /** Shows a text until the engine has answered: until `release`, `clear` or the next message. */
  hold(text, place) {
    this.put(text, place);
    this.isHeld = true;
  }

  /** The engine has answered: removes a text that held until then, and no other. */
  release() {
    if (this.isHeld) this.clear();
  }

  /** Shows a text behind an element, or at its usual place if there is none that can be seen. */
  put(text, place) {
    clearTimeout(this.timer);
    this.isHeld = false;
    if (place?.checkVisibility()) place.after(this.element);
    else this.home.prepend(this.element);
    this.element.textContent = text;
    this.element.scrollIntoView({ block: "nearest" });
  }

  clear() {
    clearTimeout(this.timer);
    this.isHeld = false;
    this.element.textContent = "";
  }

  /** Has a screen reader speak a text. */
  say(text) { this.spoken.textContent = text; }
}
