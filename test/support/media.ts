// Real media for tests: sound as bytes, pictures and films encoded by a browser.

/** Silence in one channel of 8 bits. */
export function makeWav(seconds: number, rate = 8000): Buffer {
  const samples = Buffer.alloc(seconds * rate, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** A page of any browser. */
type Painter = { evaluate(expression: string): Promise<unknown> };

/** The result of a function that runs in the page and returns base64. */
async function paint<T>(page: Painter, run: (given: T) => Promise<string>, given: T): Promise<Buffer> {
  return Buffer.from(String(await page.evaluate(`(${run})(${JSON.stringify(given)})`)), 'base64');
}

/** A JPEG of noise, which does not compress. */
export const drawPhoto = (page: Painter, width: number, height: number): Promise<Buffer> =>
  paint(
    page,
    async ([across, down]) => {
      const canvas = new OffscreenCanvas(across, down);
      const context = canvas.getContext('2d');
      const image = context?.createImageData(across, down);
      if (!context || !image) throw new Error('this browser does not draw');
      for (let at = 0; at < image.data.length; at += 1) image.data[at] = (at * 2_654_435_761) >>> 24;
      context.putImageData(image, 0, 0);
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/jpeg' })).arrayBuffer());
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      return btoa(text);
    },
    [width, height] as const,
  );

/** Some frames of WebM without a length in the header. */
export const recordFilm = (page: Painter): Promise<Buffer> =>
  paint(
    page,
    async () => {
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width: 160, height: 120 });
      const context = canvas.getContext('2d');
      const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' });
      const blobs: Blob[] = [];
      recorder.ondataavailable = ({ data }) => blobs.push(data);
      const ended = new Promise(resolve => {
        recorder.onstop = resolve;
      });
      recorder.start();
      for (let frame = 0; frame < 30; frame += 1) {
        context?.fillRect(frame, frame, 20, 20);
        await new Promise(resolve => requestAnimationFrame(resolve));
      }
      recorder.stop();
      await ended;
      let text = '';
      for (const byte of new Uint8Array(await new Blob(blobs).arrayBuffer())) text += String.fromCharCode(byte);
      return btoa(text);
    },
    null,
  );
