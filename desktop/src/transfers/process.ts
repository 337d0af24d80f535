// The utility process: the engine between it and the program.
import { openEngine } from './engine.ts';

const port = process.parentPort;
const engine = openEngine(
  message => port.postMessage(message),
  // Built beside this file (electron.vite.config.ts).
  new URL('./hash-thread.js', import.meta.url),
);
port.on('message', ({ data }) => engine.hear(data));
