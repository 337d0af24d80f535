// Gives a child process of Node the `process.parentPort` of Electron's utility processes.
import { EventEmitter } from 'node:events';

const port = Object.assign(new EventEmitter(), {
  postMessage: (message: object) => void process.send?.(message, undefined, undefined, () => undefined),
});
process.on('message', data => port.emit('message', { data }));
process.on('disconnect', () => process.exit());
Object.defineProperty(process, 'parentPort', { value: port });
