// What breaks in one part of the app stays there: a sentence stands in its place, and everything around it goes on.
import { Component, type ReactNode } from 'react';
import { useSay } from '../context.ts';
import { Icon } from './icon.tsx';

type Props = { readonly children: ReactNode };

/** With another `key` it is whole again. */
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

/** What could not be loaded is not asked for again by itself: that takes the whole page anew. */
function Broken({ again }: { readonly again: () => void }) {
  const say = useSay();
  return (
    <div role="alert" className="middle">
      <Icon name="alert" />
      <h1>{say.brokenPart}</h1>
      <p>{say.brokenPartText}</p>
      <div className="actions">
        <button type="button" onClick={again}>
          {say.showAgain}
        </button>
        <button type="button" className="plain" onClick={() => location.reload()}>
          {say.loadAnew}
        </button>
      </div>
    </div>
  );
}
