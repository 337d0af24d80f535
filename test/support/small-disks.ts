// Small disks that may fill up or fail, where the user of the test may mount some.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Why no disk can be mounted here; null where it can. */
export function findMountObstacle(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root may mount a small disk';
  try {
    using _disk = mountSmallDisk('', 1);
    return null;
  } catch (error) {
    return `no small disk can be mounted: ${(error as Error).message}`;
  }
}

type SmallDisk = { readonly folder: string } & Disposable;

/** A data folder of which `part` (or all of it) is on a disk of this size. */
export function mountSmallDisk(part: string, sizeMiB: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-small-'));
  const root = join(folder, part);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m,mode=700`, 'tmpfs', root]);
  return {
    folder,
    [Symbol.dispose]: () => {
      execFileSync('umount', [root]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type FailingDisk = SmallDisk & {
  /** From now on the disk is read-only, as after a failed write. */
  fail(): void;
  /** As an operator would: unmounted, repaired and mounted again. No process may have a file of it open. */
  mend(): void;
};

/** An ext4 in a file that turns read-only at its first error, as most disks of servers do. */
export function mountFailingDisk(sizeMiB: number): FailingDisk {
  const root = mkdtempSync(join(tmpdir(), 'recordproof-failing-'));
  const image = join(root, 'image');
  const folder = join(root, 'disk');
  mkdirSync(folder);
  execFileSync('truncate', ['-s', `${sizeMiB}M`, image]);
  execFileSync('mkfs.ext4', ['-q', '-F', image]);
  const mount = () => void execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, folder]);
  const findDevice = () =>
    basename(execFileSync('findmnt', ['-n', '-o', 'SOURCE', folder], { encoding: 'utf8' }).trim());
  mount();
  return {
    folder,
    fail: () => writeFileSync(`/sys/fs/ext4/${findDevice()}/trigger_fs_error`, 'a test'),
    mend: () => {
      execFileSync('umount', [folder]);
      spawnSync('e2fsck', ['-p', '-f', image]); // exits with 1 when it repaired something
      mount();
    },
    [Symbol.dispose]: () => {
      execFileSync('umount', [folder]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}
