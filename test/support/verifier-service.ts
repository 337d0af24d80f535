// The verifier's web service on a free port, and good, slow and broken uploads to it.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buildPage } from '@recordproof/verifier/web/page/build-page.ts';
import { openPages } from '@recordproof/verifier/web/page/pages.ts';
import { openVerifierService, type ServiceParts } from '@recordproof/verifier/web/service.ts';
import { readServiceSettings } from '@recordproof/verifier/web/settings.ts';

export type TestVerifier = AsyncDisposable & {
  readonly url: string;
  /** The service's log, line by line. */
  readonly lines: string[];
  post(parts: readonly Part[], headers?: Record<string, string>): Promise<Response>;
};

export type Part = readonly [name: string, content: Uint8Array | string];

export type VerifierOptions = Partial<Pick<ServiceParts, 'now' | 'pace' | 'live'>> & {
  settings?: Record<string, string>;
};

export async function openTestVerifier({ settings = {}, ...more }: VerifierOptions = {}): Promise<TestVerifier> {
  const lines: string[] = [];
  const service = await openVerifierService({
    settings: readServiceSettings({ VERIFIER_PORT: '0', ...settings }),
    pages: openPages(buildPage, more.live !== undefined),
    log: line => lines.push(line),
    ...more,
  });
  return {
    url: service.url,
    lines,
    post: (parts, headers = {}) =>
      fetch(`${service.url}api/v1/verify`, { method: 'POST', body: toForm(parts), headers }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

export function toForm(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, content] of parts) form.append(name, new Blob([new Uint8Array(Buffer.from(content))]), 'file');
  return form;
}

export const rawBoundary = 'raw-upload';

export const rawFilePart = (name: string): Buffer =>
  Buffer.from(`--${rawBoundary}\r\ncontent-disposition: form-data; name="${name}"; filename="f"\r\n\r\n`);

export const rawPart = (name: string, content: Uint8Array | string): Buffer =>
  Buffer.concat([rawFilePart(name), Buffer.from(content), Buffer.from('\r\n')]);

/** A manual upload: the head has been sent, the caller writes the body. */
export class RawUpload {
  readonly socket: Socket;
  #received = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', text => {
      this.#received += text;
    });
    socket.on('error', () => {});
  }

  /** `localAddress`: the client address that the service sees. */
  static async open(url: string, headers: readonly string[], localAddress?: string): Promise<RawUpload> {
    const { hostname, port } = new URL(url);
    const socket = connect({ port: Number(port), host: hostname, ...(localAddress && { localAddress }) });
    await once(socket, 'connect');
    const type = `content-type: multipart/form-data; boundary=${rawBoundary}`;
    socket.write(['POST /api/v1/verify HTTP/1.1', `host: ${hostname}`, type, ...headers, '', ''].join('\r\n'));
    return new RawUpload(socket);
  }

  get received(): string {
    return this.#received;
  }

  /** Resolves with everything received so far, once it contains this. */
  async until(text: string): Promise<string> {
    while (!this.#received.includes(text)) {
      if (this.socket.closed) throw new Error(`the connection ended after: ${this.#received}`);
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]);
    }
    return this.#received;
  }
}

/** Names of the temporary files that a process of this machine holds or has left. */
export const isTemporary = (name: string): boolean => name.startsWith('recordproof-verify-');
