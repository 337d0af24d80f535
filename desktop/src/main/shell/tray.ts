// The app in the tray: there while transfers go on without a window, with how far they are.
import { Menu, nativeImage, Tray } from 'electron';
import { drawMark } from './mark.ts';

type Wishes = { readonly open: () => void; readonly quit: () => void };

export type TrayPart = { showProgress(share: number | null): void };

const size = 32;

const toImage = (share: number | null) =>
  nativeImage.createFromBitmap(drawMark(size, share), { width: size, height: size, scaleFactor: 2 });

const toTip = (share: number | null): string =>
  share === null ? 'RecordProof' : `RecordProof: ${Math.floor(share * 100)} %`;

export function openTray({ open, quit }: Wishes): TrayPart {
  const tray = new Tray(toImage(null));
  tray.setToolTip(toTip(null));
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: 'RecordProof', click: open },
      { type: 'separator' },
      { label: 'Quit', click: quit },
    ]),
  );
  tray.on('click', open);
  let shown = toTip(null);
  return {
    showProgress(share) {
      const tip = toTip(share);
      if (tip === shown) return;
      shown = tip;
      tray.setToolTip(tip);
      tray.setImage(toImage(share));
    },
  };
}
