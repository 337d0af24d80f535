// Worker thread that hashes passwords one at a time.
import { argon2Sync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { Answer, Question } from '@recordproof/shared/node/threads.ts';
import { lowerThreadPriority } from '../lower-priority.ts';
import { type DeriveTask, toParameters } from './password-text.ts';

/** Low enough that logins still progress when all processors are busy. */
lowerThreadPriority(5);

function answer({ id, ...task }: DeriveTask & Question): Answer<Uint8Array> {
  try {
    return { id, answer: new Uint8Array(argon2Sync('argon2id', toParameters(task))) };
  } catch (failure) {
    return { id, failure };
  }
}

parentPort?.on('message', (question: DeriveTask & Question) => parentPort?.postMessage(answer(question)));
