// A thread of the reference for uploads: two SHA-256 and one AES-256-GCM by node:crypto over its half of each part. Answers
// with the processor seconds that these took; reading the parts is not counted.
import { createCipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const { paths, half } = workerData as { readonly paths: readonly string[]; readonly half: 0 | 1 };
const blockBytes = 2 ** 20;
const key = createSecretKey(randomBytes(32));

function work(bytes: Uint8Array): void {
  const hashes = [createHash('sha256'), createHash('sha256')];
  const cipher = createCipheriv('aes-256-gcm', key, randomBytes(12));
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const block = bytes.subarray(at, at + blockBytes);
    for (const hash of hashes) hash.update(block);
    cipher.update(block);
  }
  for (const hash of hashes) hash.digest();
  cipher.final();
}

let microseconds = 0;
for (const path of paths) {
  const bytes = readFileSync(path);
  const middle = Math.ceil(bytes.length / 2);
  const before = process.threadCpuUsage();
  work(half === 0 ? bytes.subarray(0, middle) : bytes.subarray(middle));
  const { user, system } = process.threadCpuUsage(before);
  microseconds += user + system;
}
parentPort?.postMessage(microseconds / 1e6);
