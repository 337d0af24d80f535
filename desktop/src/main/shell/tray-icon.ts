// Icon in the tray: a disc, and a ring around it that fills with the progress of transfers.
const colour = { red: 0x2f, green: 0x6f, blue: 0xed };

/** Pixels as Electron takes them: blue, green, red, opacity. `share` null draws the whole ring. */
export function drawTrayIcon(size: number, share: number | null): Buffer {
  const pixels = Buffer.alloc(size * size * 4);
  const middle = (size - 1) / 2;
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const opacity = opacityAt((x - middle) / middle, (y - middle) / middle, share ?? 1);
      pixels.set([colour.blue, colour.green, colour.red, opacity].map(premultiplied(opacity)), (y * size + x) * 4);
    }
  }
  return pixels;
}

/** Electron's bitmaps hold premultiplied colours; the fourth value is the opacity. */
const premultiplied = (opacity: number) => (value: number, index: number) =>
  index === 3 ? value : Math.round((value * opacity) / 255);

function opacityAt(x: number, y: number, share: number): number {
  const distance = Math.hypot(x, y);
  if (distance <= 0.5) return 255;
  if (distance < 0.7 || distance > 1) return 0;
  const turn = (Math.atan2(x, -y) / (2 * Math.PI) + 1) % 1;
  return turn <= share ? 255 : 64;
}
