// The small transfer server as a process of its own, so that measurements cover only the client.
import { openTransferServer } from './transfer-server.ts';

const server = await openTransferServer();
process.stdout.write(`${JSON.stringify({ url: server.url, token: server.token })}\n`);
process.on('SIGTERM', () => void server[Symbol.asyncDispose]().then(() => process.exit(0)));
// The parent holds the other end: when it dies for any reason, this process ends too.
process.stdin.on('end', () => process.exit(0)).resume();
