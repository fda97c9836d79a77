// A list of rows of one height, of which only those in view are in the document, for lists of any
// length.
import {
  type ReactNode,
  type Ref,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";

export type WindowHandle = { scrollToEnd: () => void; scrollTo: (index: number) => void };

type Props = {
  count: number;
  rowHeight: number;
  row: (index: number) => ReactNode;
  label: string;
  className?: string;
  /** Called with whether the end is in view, when that changes. */
  onEnd?: (isAtEnd: boolean) => void;
  onStart?: () => void;
  handle?: Ref<WindowHandle>;
};

const extra = 12;
/**
 * Browsers draw no element that is higher than some millions of pixels: longer lists are scaled.
 */
const maxHeight = 8_000_000;

export function WindowList({
  count,
  rowHeight,
  row,
  label,
  className = "",
  onEnd,
  onStart,
  handle,
}: Props) {
  const box = useRef<HTMLElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const atEnd = useRef(true);
  const height = Math.min(maxHeight, count * rowHeight);
  const scale =
    count * rowHeight > maxHeight
      ? (count * rowHeight - view.height) / (maxHeight - view.height)
      : 1;

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useImperativeHandle(handle, () => ({
    scrollToEnd: () => box.current?.scrollTo({ top: box.current.scrollHeight }),
    scrollTo: (index) => {
      const element = box.current;
      if (element === null) return;
      const top = index * rowHeight;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + rowHeight > element.scrollTop + element.clientHeight)
        element.scrollTop = top + rowHeight - element.clientHeight;
    },
  }));

  const onScroll = () => {
    const element = box.current;
    if (element === null) return;
    setView({ top: element.scrollTop, height: element.clientHeight });
    const isAtEnd =
      element.scrollTop + element.clientHeight >= element.scrollHeight - 2 * rowHeight;
    if (isAtEnd !== atEnd.current) {
      atEnd.current = isAtEnd;
      onEnd?.(isAtEnd);
    }
    if (element.scrollTop < 4 * rowHeight) onStart?.();
  };

  const top = view.top * scale;
  const first = Math.max(0, Math.floor(top / rowHeight) - extra);
  const last = Math.min(count, Math.ceil((top + view.height) / rowHeight) + extra);
  const rows: ReactNode[] = [];
  for (let index = first; index < last; index++) rows.push(row(index));
  return (
    <section
      ref={box}
      className={`window-list ${className}`}
      onScroll={onScroll}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
    >
      <div className="window-space" style={{ height }}>
        <ul
          className="window-rows"
          style={{ transform: `translateY(${view.top - top + first * rowHeight}px)` }}
        >
          {rows}
        </ul>
      </div>
    </section>
  );
}
