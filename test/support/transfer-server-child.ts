// Starts the small transfer server as a child that ends with this process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type ServerProcess = AsyncDisposable & { readonly url: string; readonly token: string };

export async function startServerProcess(): Promise<ServerProcess> {
  const program = fileURLToPath(new URL('./transfer-server-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    ...(JSON.parse(line) as { url: string; token: string }),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
