// Worker thread for the SHA-256 of whole files by name. It opens, reads and closes them synchronously with reused
// buffers, because these costs dominate for small files. Plain JavaScript: a thread that strips types takes 12 MiB
// more and starts later.
import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

const block = Buffer.allocUnsafeSlow(1024 * 1024);
/** After this many bytes the rest of a task is returned, so that another thread can take part of it. */
const enoughBytes = 32 * 1024 * 1024;

// A link that has replaced a file is not followed, and a pipe does not block.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function hashFiles(paths) {
  const outcomes = [];
  let bytes = 0;
  for (const path of paths) {
    const outcome = hashFile(path);
    outcomes.push(outcome);
    bytes += outcome.size ?? 0;
    if (bytes >= enoughBytes) break;
  }
  return outcomes;
}

function hashFile(path) {
  try {
    const fd = openSync(path, flags);
    try {
      return hashOpen(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return { problem: problems[error.code] ?? 'unreadable' };
  }
}

const problems = { ENOENT: 'gone', ENOTDIR: 'gone', ELOOP: 'other' };

function hashOpen(fd) {
  const before = fstatSync(fd, { bigint: true });
  if (!before.isFile()) return { problem: 'other' };
  const size = Number(before.size);
  const digest = size < block.length ? hashSmall(fd, size) : hashLarge(fd, size);
  const after = fstatSync(fd, { bigint: true });
  if (digest === undefined || after.mtimeNs !== before.mtimeNs || after.size !== before.size)
    return { problem: 'changed' };
  return { size, sha256: `sha256:${digest}` };
}

/** Undefined when there is more or less to read than its size says. */
function hashSmall(fd, size) {
  const read = readSync(fd, block, 0, block.length, 0);
  return read === size ? hash('sha256', block.subarray(0, read)) : undefined;
}

function hashLarge(fd, size) {
  const whole = createHash('sha256');
  let position = 0;
  for (;;) {
    const read = readSync(fd, block, 0, block.length, position);
    position += read;
    if (position > size) return undefined;
    if (read === 0) return position === size ? whole.digest('hex') : undefined;
    whole.update(block.subarray(0, read));
  }
}

parentPort?.on('message', ({ id, paths }) => parentPort.postMessage({ id, answer: hashFiles(paths) }));
