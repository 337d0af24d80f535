// Image element for bytes in memory: no URL is requested for it.
import { type ReactNode, useEffect, useState } from 'react';

type Shown = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly name: string;
  /** Shown where the bytes are not an image. */
  readonly otherwise: ReactNode;
  readonly onShown?: () => void;
};

export function BytesImage({ bytes, type, name, otherwise, onShown }: Shown) {
  const [url, setUrl] = useState<string | null>(null);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  if (isBroken) return otherwise;
  return (
    <div className="preview">
      {url && <img src={url} alt={name} onLoad={onShown} onError={() => setBroken(true)} />}
    </div>
  );
}
