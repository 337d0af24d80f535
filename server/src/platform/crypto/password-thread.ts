// Worker thread that hashes passwords one at a time.
import { argon2Sync } from 'node:crypto';
import { answerQuestions } from '@recordproof/shared/node/threads.ts';
import { lowerThreadPriority } from '../lower-priority.ts';
import { type DeriveTask, toParameters } from './password-text.ts';

/** Low enough that logins still progress when all processors are busy. */
lowerThreadPriority(5);

answerQuestions<DeriveTask, Uint8Array>({
  perform: task => new Uint8Array(argon2Sync('argon2id', toParameters(task))),
});
