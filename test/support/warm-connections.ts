// Keeps connections to PostgreSQL open between tests. A new connection reads the catalogue of its database again, which
// takes longer than most tests: clients connect here, and one that ends leaves its connection to the next with the same
// start-up message (database, user, settings), after "discard all".
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

const terminate = Buffer.from([0x58, 0, 0, 0, 4]);
const readyIdle = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]); // the last message before PostgreSQL waits, outside of a transaction
const cancelRequest = 80877102;
const discardAll = simpleQuery('discard all');

type Warm = { readonly socket: Socket; readonly greeting: Buffer };

function simpleQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5);
  head.write('Q');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const endsWith = (data: Buffer, end: Buffer): boolean => data.subarray(-end.length).equals(end);

/** Reads until PostgreSQL waits for a query, outside of a transaction. */
async function readUntilIdle(socket: Socket, signal: AbortSignal): Promise<void> {
  let end = Buffer.alloc(0);
  while (!endsWith(end, readyIdle)) {
    const [part] = (await once(socket, 'data', { signal })) as [Buffer];
    end = Buffer.concat([end, part]).subarray(-readyIdle.length);
  }
}

export async function openWarmConnections(port: number): Promise<{ readonly port: number } & AsyncDisposable> {
  const idle = new Map<string, Warm[]>();
  const sockets = new Set<Socket>();

  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    return socket;
  };

  const take = (key: string): Warm | undefined => {
    const warm = idle.get(key)?.pop();
    return warm === undefined || !warm.socket.destroyed ? warm : take(key);
  };

  const keep = async (key: string, warm: Warm): Promise<void> => {
    const { socket } = warm;
    socket.write(discardAll);
    await readUntilIdle(socket, AbortSignal.timeout(5000));
    idle.set(key, [...(idle.get(key) ?? []), warm]);
  };

  /** A new connection; what it says until it is ready goes to the client, and is repeated to later ones. */
  const open = async (client: Socket, startup: Buffer): Promise<Warm> => {
    const socket = track(connect(port, '127.0.0.1'));
    socket.write(startup);
    const parts: Buffer[] = [];
    const closed = new AbortController();
    socket.once('close', () => closed.abort());
    socket.on('data', (data: Buffer) => {
      parts.push(data);
      client.write(data);
    });
    await readUntilIdle(socket, closed.signal);
    return { socket, greeting: Buffer.concat(parts) };
  };

  const serve = async (client: Socket): Promise<void> => {
    const [startup] = (await once(client, 'data')) as [Buffer];
    if (startup.readInt32BE(4) === cancelRequest) {
      track(connect(port, '127.0.0.1')).end(startup);
      client.end();
      return;
    }
    const key = startup.toString('latin1');
    const kept = take(key);
    if (kept) client.write(kept.greeting);
    const warm = kept ?? (await open(client, startup));
    const { socket } = warm;
    let isKept = false;
    socket.removeAllListeners('data').removeAllListeners('close');
    socket.on('data', data => client.write(data));
    socket.on('close', () => {
      sockets.delete(socket);
      client.destroy();
    });
    client.on('data', (data: Buffer) => {
      if (!endsWith(data, terminate)) {
        socket.write(data);
        return;
      }
      isKept = true;
      socket.removeAllListeners('data');
      client.end();
      keep(key, warm).catch(() => socket.destroy());
    });
    client.once('close', () => {
      sockets.delete(client);
      if (!isKept) socket.destroy();
    });
  };

  const server = createServer(client => {
    serve(track(client)).catch(() => client.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
