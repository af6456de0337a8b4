import { shownText } from '@portico/contract/shown-text'
import { Fragment, jsx as reactJsx, jsxs as reactJsxs } from 'react/jsx-runtime'

// The JSX of all screens. Names, values and messages are texts of others, and with marks of direction one can read as another:
// here is the one place that writes invisible characters out. Typed texts keep them, since `value` is not among the shown ones.

export { Fragment }

type Element = typeof reactJsx

/** As React's, with the characters in its texts that are not seen written out (`shownText`). */
export const jsx: Element = (type, props, key) => reactJsx(type, shownProps(props), key)
export const jsxs: Element = (type, props, key) => reactJsxs(type, shownProps(props), key)

/** Attributes that are read to or shown to people. Components of the library have `label` and `description`. */
const textProps = ['title', 'label', 'description', 'aria-label', 'alt'] as const

/** The same object if nothing in it is invisible, as nearly always. */
export function shownProps<Props>(props: Props): Props {
  let shown: Record<string, unknown> | null = null
  const given = props as Record<string, unknown>
  const show = (name: string, value: unknown) => {
    const next = shownChild(value)
    if (next !== value) shown = { ...(shown ?? given), [name]: next }
  }
  show('children', given['children'])
  for (const name of textProps) if (typeof given[name] === 'string') show(name, given[name])
  return (shown ?? props) as Props
}

function shownChild(child: unknown): unknown {
  if (typeof child === 'string') return shownText(child)
  if (!Array.isArray(child) || !child.some((one) => typeof one === 'string' && shownText(one) !== one)) return child
  return child.map((one: unknown) => (typeof one === 'string' ? shownText(one) : one))
}
