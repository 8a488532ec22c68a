// Sounds of moves, made by the browser's synthesiser. Off until the user switches them on.

let context = null;

/** Plays the sound of a move: a knock, deeper for a capture, with a tone at check and at the end. */
export function playSound(san, ended = false) {
  context ??= new AudioContext();
  knock(san.includes("x") ? 180 : 320, san.includes("x") ? 0.5 : 0.35);
  if (ended) [523, 659, 784].forEach((pitch, index) => tone(pitch, 0.12 * index + 0.08));
  else if (/[+#]/.test(san)) tone(880, 0.05);
}

function knock(pitch, volume) {
  const [oscillator, gain] = [context.createOscillator(), context.createGain()];
  const now = context.currentTime;
  oscillator.type = "triangle";
  oscillator.frequency.setValueAtTime(pitch, now);
  oscillator.frequency.exponentialRampToValueAtTime(pitch / 3, now + 0.07);
  fade(gain, volume, now, 0.09);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(now);
  oscillator.stop(now + 0.1);
}

function tone(pitch, delay) {
  const [oscillator, gain] = [context.createOscillator(), context.createGain()];
  const start = context.currentTime + delay;
  oscillator.frequency.value = pitch;
  fade(gain, 0.12, start, 0.25);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(start + 0.3);
}

function fade(gain, volume, start, duration) {
  gain.gain.setValueAtTime(volume, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + duration);
}
