import { Code } from '@mantine/core'
import css from './text-block.module.css'

/** Text as a machine writes it, which scrolls by keyboard too. */
export function TextBlock({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label}>
      <Code block className={css['text'] ?? ''} tabIndex={0}>
        {text}
      </Code>
    </section>
  )
}
