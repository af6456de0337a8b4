import { Tooltip, UnstyledButton } from '@mantine/core'
import css from './explained-term.module.css'

type ExplainedTermProps = {
  term: string
  /** The explanation of the term, in one sentence. */
  meaning: string
}

/** A term whose meaning is shown on hover, focus and touch. */
export function ExplainedTerm({ term, meaning }: ExplainedTermProps) {
  return (
    <Tooltip label={meaning} multiline maw={300} events={{ hover: true, focus: true, touch: true }}>
      <UnstyledButton className={css['term'] ?? ''}>{term}</UnstyledButton>
    </Tooltip>
  )
}
