// Error boundary: a part of the app that throws is replaced by a message, and everything around it continues.
import { Component, type ReactNode } from 'react';
import { useTexts } from '../context.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

type Props = { readonly children: ReactNode };

/** Another `key` resets it. */
export class ErrorBoundary extends Component<Props, { readonly isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    if (!this.state.isBroken) return this.props.children;
    return <Broken again={() => this.setState({ isBroken: false })} />;
  }
}

/** A script that could not be loaded is requested again only by a reload of the page. */
function Broken({ again }: { readonly again: () => void }) {
  const texts = useTexts();
  return (
    <div role="alert" className="middle">
      <Icon name="alert" />
      <h1>{texts.brokenPart}</h1>
      <p>{texts.brokenPartText}</p>
      <div className="actions">
        <Button label={texts.showAgain} onClick={again} />
        <Button label={texts.loadAnew} variant="plain" onClick={() => location.reload()} />
      </div>
    </div>
  );
}
