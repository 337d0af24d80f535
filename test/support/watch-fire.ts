// Rounds in which the files of a watched folder are written, changed, renamed and half written while both sides are
// killed.
import { randomInt } from 'node:crypto';
import { setTimeout as pass } from 'node:timers/promises';
import type { WatchWorld } from './watch-world.ts';

/** More than fit into one call with others. */
const largeBytes = 9 * 1024 * 1024;
/** Per round, of many files. */
const largeFiles = 20;
const mostHalfWritten = 100;

type Fire = { readonly rounds: number; readonly files: number; readonly killsARound: number };

/** After each round all work completes. */
export async function watchUnderFire(world: WatchWorld, { rounds, files, killsARound }: Fire): Promise<void> {
  world.startWatch();
  const writers = new Writers(world);
  const largeShare = Math.min(0.1, largeFiles / files);
  const pathOf = (index: number): string => `${index % 3 === 0 ? 'sub/' : ''}file ${index}.txt`;
  for (let round = 0; round < rounds; round += 1) {
    const kills = new Set(Array.from({ length: killsARound }, () => randomInt(files)));
    for (let index = 0; index < files; index += 1) {
      if (Math.random() < largeShare) await writers.write(pathOf(index), largeBytes);
      else await change(writers, pathOf(index), pathOf(randomInt(files)));
      if (kills.has(index)) await killBoth(world);
      await pass(randomInt(30));
    }
    await writers.end();
    await world.untilProven();
  }
}

async function change(writers: Writers, path: string, other: string): Promise<void> {
  const dice = randomInt(10);
  if (dice < 5) await writers.write(path);
  else if (dice < 6) await writers.write(other);
  else if (dice < 8) await writers.rename(path, other);
  else await writers.writeInHalves(dice === 8 ? path : other, randomInt(1500));
}

/** Many files are half written at a time; changes of one file come one after the other. */
class Writers {
  readonly #world: WatchWorld;
  readonly #halfWritten = new Map<string, Promise<void>>();

  constructor(world: WatchWorld) {
    this.#world = world;
  }

  async write(path: string, size?: number): Promise<void> {
    await this.#halfWritten.get(path);
    await this.#world.write(path, size);
  }

  async rename(from: string, to: string): Promise<void> {
    await Promise.all([this.#halfWritten.get(from), this.#halfWritten.get(to)]);
    await this.#world.rename(from, to);
  }

  async writeInHalves(path: string, pauseMs: number): Promise<void> {
    await this.#halfWritten.get(path);
    while (this.#halfWritten.size >= mostHalfWritten) await Promise.race(this.#halfWritten.values());
    const whole = this.#world.writeInHalves(path, pauseMs).finally(() => this.#halfWritten.delete(path));
    this.#halfWritten.set(path, whole);
  }

  async end(): Promise<void> {
    await Promise.all(this.#halfWritten.values());
  }
}

/** Each at a random time: while it scans, hashes, sends, waits, or writes a proof. */
async function killBoth(world: WatchWorld): Promise<void> {
  await pass(randomInt(3000));
  await world.killServer();
  await pass(randomInt(500));
  await world.killWatch();
  world.startWatch();
  await pass(randomInt(500));
  await world.startServer();
  await pass(randomInt(2000));
  await world.killWatch();
  world.startWatch();
}
