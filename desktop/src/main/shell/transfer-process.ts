// Utility process of Electron that moves files. It lives as long as the program, not as long as a window.
import { join } from 'node:path';
import { utilityProcess } from 'electron';
import type { TransferProcessPort } from '../system.ts';

const exitTimeoutMs = 5000;

export function startTransferProcess(
  outFolder: string,
  hear: (message: unknown) => void,
  gone: () => void,
): TransferProcessPort {
  const child = utilityProcess.fork(join(outFolder, 'main', 'transfers.js'), [], {
    serviceName: 'RecordProof transfers',
  });
  const exited = new Promise<void>(resolve => {
    child.once('exit', () => {
      resolve();
      gone();
    });
  });
  child.on('message', hear);
  return {
    send: message => child.postMessage(message),
    async end() {
      child.postMessage({ kind: 'close' });
      const timer = setTimeout(() => child.kill(), exitTimeoutMs);
      await exited;
      clearTimeout(timer);
    },
  };
}
