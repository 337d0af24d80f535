// Lazy loading of the Redis, RabbitMQ and SMTP clients.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

// In a process of its own, because other tests of this one may have loaded the clients.
const program = `
  import { registerHooks } from 'node:module';
  const resolved = [];
  registerHooks({ resolve: (name, context, next) => (resolved.push(name), next(name, context)) });
  const tools = { clock: Date, log: { info() {}, warn() {} } };
  const { openCluster } = await import('./cluster/open-cluster.ts');
  const { openMail } = await import('./mail/open-mail.ts');
  const { openExporter } = await import('./outbox/open-exporter.ts');
  await openCluster({ kind: 'memory' }, tools);
  openMail({ kind: 'files', folder: 'unused', from: 'a@b.test' }, tools);
  await openExporter({ kind: 'local' }, tools);
  console.log(JSON.stringify(resolved.filter(name => !/^(\\.|node:|@recordproof\\/)/.test(name))));
`;

test('a server without Redis, RabbitMQ and SMTP loads none of their clients', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
  });
  expect(JSON.parse(stdout)).toEqual([]);
});
