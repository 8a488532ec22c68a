#!/usr/bin/env node
// The program `saavedra`: UCI on standard input and output, and `bench`.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Instance } from './module.js';
import { load, startWorker } from './node.js';

const HELP = `A UCI chess engine. Without arguments it runs as a UCI engine.

Arguments: bench, --version, --help`;

const print = (line) => process.stdout.write(`${line}\n`);
// The reader of the output has gone.
process.stdout.on('error', () => process.exit(0));

/** Prints a message and ends the program with status 2. */
function refuse(message) {
  process.stderr.write(`saavedra: ${message}\n`);
  process.exit(2);
}

/** Runs a UCI session. */
function session(module) {
  const worker = startWorker();
  worker.on('message', print);
  worker.on('error', ({ message }) => refuse(message));
  worker.postMessage({ module });
  const lines = createInterface({ input: process.stdin, terminal: false, crlfDelay: Infinity });
  lines.on('line', (line) => worker.postMessage(line));
  lines.on('close', () => worker.postMessage('quit'));
  worker.on('exit', () => {
    lines.close();
    process.stdin.destroy();
  });
}

const version = () => {
  const file = new URL('package.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).version;
};

const [command, ...rest] = process.argv.slice(2);
if (rest.length > 0) {
  refuse(`unexpected argument '${rest[0]}'`);
} else if (command === '--version' || command === '-V') {
  print(`saavedra ${version()}`);
} else if (command === '--help' || command === '-h') {
  print(HELP);
} else if (command !== undefined && command !== 'bench') {
  refuse(`unknown argument '${command}'`);
} else {
  const module = await load().catch(({ message }) => refuse(message));
  if (command === 'bench') {
    new Instance(module, { print }).uci('bench');
  } else {
    session(module);
  }
}
