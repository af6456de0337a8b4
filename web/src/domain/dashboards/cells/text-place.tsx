import css from './text-cell.module.css'

/** Lines of lists, headings, quotes and tables stay separate lines. */
const hasOwnLines = /^[ \t]*(?:[-+>|]\s|#|\d+[.)]\s)/m

/** Reserves about the space of a text until the code that parses its Markdown has loaded. */
export function TextPlace({ text }: { text: string }) {
  const blocks = text
    .replaceAll(/^([ \t]*)\* /gm, '$1- ')
    .replaceAll(/[*_`~]+/g, '')
    .split(/\n\s*\n/)
  return (
    <div className={css['place']}>
      {blocks.map((block, at) => (
        <p key={at} data-lines={hasOwnLines.test(block) || undefined}>
          {block}
        </p>
      ))}
    </div>
  )
}
