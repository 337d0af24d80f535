// A watched folder with many writes, changes, renames and half-written files, while both sides are killed.
import { expect, test } from 'vitest';
import { watchUnderFire } from '../support/watch-fire.ts';
import { WatchWorld } from '../support/watch-world.ts';

const files = Number(process.env.FILES ?? 200);
const rounds = Number(process.env.ROUNDS ?? 3);
const killsARound = Number(process.env.KILLS ?? 4);

test(`${rounds} rounds over ${files} files: every stable state has one version and its proof`, async () => {
  await using world = await WatchWorld.open();
  await watchUnderFire(world, { rounds, files, killsARound });
  await world.checkRecords();
  expect(world.truth.size).toBeGreaterThan(files / 3);
}, 3_600_000);
