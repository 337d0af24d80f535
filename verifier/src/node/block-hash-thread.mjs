// Worker thread for SHA-256 over the blocks that the main thread hands over (block-handover.mjs). Plain JavaScript: a
// thread that strips types starts later.
import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { fromWord, onMemory, runSteps, takeSteps } from './block-handover.mjs';

const blocks = workerData.blocks.map(block => new Uint8Array(block));
const whole = createHash('sha256');

function hash(word) {
  const { block, length } = fromWord(word);
  whole.update(blocks[block].subarray(0, length));
}

runSteps(takeSteps, onMemory(workerData.memory, { hash }));
parentPort.postMessage(whole.digest());
