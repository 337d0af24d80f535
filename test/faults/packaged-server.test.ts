// The server as one file: it starts in an empty folder with nothing in the environment, and its database works.
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { addressOf, packageProgram } from '../support/packaged.ts';

test('the packaged server starts, keeps its data, and starts again with it', async () => {
  using server = packageProgram('server');
  for (const round of [1, 2]) {
    const running = server.start(['--data', 'data', '--port', '0']);
    const url = await addressOf(running);
    const health = await fetch(`${url}/actuator/health/readiness`);
    expect([round, health.status]).toEqual([round, 200]);
    expect((await fetch(`${url}/docs`)).status).toBe(200);
    running.kill('SIGTERM');
    await once(running, 'exit');
    expect(server.leftBehind()).toEqual(['data']);
  }
  expect(server.run(['audit', 'verify', '--data', 'data'])).toMatchObject({ code: 0 });
  const misplaced = server.run(['audit', 'verify', '--data', 'data'], { TMPDIR: '/nowhere' });
  expect(misplaced).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/driver .* from \/nowhere .* TMPDIR .*\.\n$/),
  });
});
