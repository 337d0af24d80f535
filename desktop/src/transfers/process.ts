// Entry point of the utility process that moves files.
import { openEngine } from './engine.ts';
import type { ToEngine } from './messages.ts';

const port = process.parentPort;
const engine = openEngine(
  message => port.postMessage(message),
  // Built next to this file (electron.vite.config.ts).
  new URL('./hash-thread.js', import.meta.url),
);

async function close(): Promise<void> {
  await engine[Symbol.asyncDispose]();
  process.exit();
}

port.on('message', ({ data }: { data: ToEngine }) => {
  if (data.kind === 'close') void close();
  else engine.hear(data);
});
