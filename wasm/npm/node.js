// What worker.js needs under Node.

import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { moduleName, resourceLimits } from './module.js';

const beside = (name) => new URL(name, import.meta.url);

/** Reads and compiles the module. */
export const load = async () => WebAssembly.compile(await readFile(beside(moduleName())));

/** Starts worker.js. */
export const startWorker = (data) => new Worker(beside('worker.js'), { workerData: data, resourceLimits });

const workerHost = (searcher) => ({
  isSearcher: workerData === searcher,
  canShare: true,
  post: (message) => parentPort.postMessage(message),
  listen: (listener) => parentPort.on('message', listener),
  start: (listener) => {
    const worker = startWorker(searcher);
    worker.on('message', listener);
    worker.on('error', ({ message }) => listener({ failed: message }));
    return worker;
  },
  close: () => parentPort.close(),
  load,
});

/** In a worker: what it needs. */
export const host = isMainThread ? null : workerHost;

/** Whether the program that runs is worker.js of this package. */
function isProgram() {
  try {
    return isMainThread && realpathSync(process.argv[1]) === realpathSync(fileURLToPath(beside('worker.js')));
  } catch {
    // There is no program, as with `node -e`.
    return false;
  }
}

// `node worker.js`: pages for stockfish.js also start their worker as a program.
if (isProgram()) {
  import('./cli.js');
}
