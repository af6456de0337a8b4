import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { createElement, Fragment, type ReactNode } from 'react'
import { Anchor } from '@mantine/core'
import css from './text-cell.module.css'

/** Markdown without HTML: anything other than Markdown or a safe link stays text. */
export function TextCell({ text }: { text: string }) {
  return <div className={css['text']}>{blocksOf(text)}</div>
}

function blocksOf(text: string): ReactNode {
  try {
    return all(new Lexer({ gfm: true }).lex(text))
  } catch {
    // Hostile nesting is shown as typed.
    return text
  }
}

const all = (tokens: readonly Token[] | undefined): ReactNode =>
  // A text is always rendered as a whole.
  tokens?.map((token, at) => <Fragment key={at}>{one(token)}</Fragment>)

const isSafeLink = (href: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(href)

/** The title of the cell is a second-level heading. */
const headingOf = (depth: number): string => `h${Math.min(6, depth + 2)}`

function one(token: Token): ReactNode {
  // Other tokens come from extensions, of which there are none.
  const known = token as MarkedToken
  switch (known.type) {
    case 'heading':
      return createElement(headingOf(known.depth), null, all(known.tokens))
    case 'paragraph':
      return <p>{all(known.tokens)}</p>
    case 'list':
      return createElement(
        known.ordered ? 'ol' : 'ul',
        null,
        known.items.map((item, at) => <li key={at}>{all(item.tokens)}</li>),
      )
    case 'blockquote':
      return <blockquote>{all(known.tokens)}</blockquote>
    case 'code':
      return <pre>{known.text}</pre>
    case 'codespan':
      return <code>{known.text}</code>
    case 'strong':
      return <strong>{all(known.tokens)}</strong>
    case 'em':
      return <em>{all(known.tokens)}</em>
    case 'del':
      return <s>{all(known.tokens)}</s>
    case 'hr':
      return <hr />
    case 'br':
      return <br />
    case 'space':
    case 'def':
      return null
    case 'link':
      return isSafeLink(known.href) ? (
        <Anchor href={known.href} target="_blank" rel="noreferrer noopener">
          {all(known.tokens)}
        </Anchor>
      ) : (
        known.raw
      )
    case 'text':
      return 'tokens' in known && known.tokens ? all(known.tokens) : known.text
    case 'escape':
      return known.text
    case 'table':
      return <TextTable table={known} />
    // A text must not load or run anything: HTML and images stay as typed.
    case 'html':
    case 'image':
    case 'checkbox':
    case 'list_item':
      return known.raw
  }
}

function TextTable({ table }: { table: Tokens.Table }) {
  return (
    <table>
      <thead>
        <tr>
          {table.header.map((cell, at) => (
            <th key={at} scope="col">
              {all(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, index) => (
              <td key={index}>{all(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
