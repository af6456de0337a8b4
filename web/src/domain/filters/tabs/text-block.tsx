import { Code } from '@mantine/core'
import css from './text-block.module.css'

/** Monospaced text that can be scrolled with the keyboard. */
export function TextBlock({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label}>
      <Code block className={css['text'] ?? ''} tabIndex={0}>
        {text}
      </Code>
    </section>
  )
}
