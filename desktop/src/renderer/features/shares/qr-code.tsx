// QR code as one path: a stroke for each run of dark squares in a row.
import { encode } from 'uqr';

type QrPath = {
  /** Squares along one edge, with the bright border of four that readers need. */
  readonly size: number;
  readonly path: string;
};

const borderSquares = 4;

export function toQrPath(text: string): QrPath {
  const { data, size } = encode(text, { ecc: 'M', border: borderSquares });
  return { size, path: data.map(toRuns).join('') };
}

const toRuns = (squares: readonly boolean[], row: number): string =>
  squares
    .map((isDark, at) => (isDark && !squares[at - 1] ? `M${at} ${row}h${lengthFrom(squares, at)}v1H${at}z` : ''))
    .join('');

function lengthFrom(squares: readonly boolean[], at: number): number {
  const end = squares.indexOf(false, at);
  return (end === -1 ? squares.length : end) - at;
}

/** Dark on bright in both themes: not every reader reads the inverse. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, path } = toQrPath(text);
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path d={`M0 0h${size}v${size}H0z`} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
