// Entry point of the utility process that moves files.

import type { ToWorker } from './messages.ts';
import { openTransferWorker } from './transfer-worker.ts';

const port = process.parentPort;
const worker = openTransferWorker(
  message => port.postMessage(message),
  // Built next to this file (electron.vite.config.ts).
  new URL('./hash-thread.js', import.meta.url),
);

async function close(): Promise<void> {
  await worker[Symbol.asyncDispose]();
  process.exit();
}

port.on('message', ({ data }: { data: ToWorker }) => {
  if (data.kind === 'close') void close();
  else worker.receive(data);
});
