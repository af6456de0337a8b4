import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { Alert } from '@mantine/core'
import IconCode from '#icons/IconCode'
import type { Advanced } from './stages/filter.ts'
import { TextBlock } from './tabs/text-block.tsx'

/** A filter that rows cannot show, as JSON. */
export function AdvancedView({ advanced: { stages, problem } }: { advanced: Advanced }) {
  return (
    <>
      <Alert color="yellow" role="alert" icon={<IconCode size={18} aria-hidden />} title={problem}>
        The tabs cannot show this filter. It stays unchanged; select Reset to remove it.
      </Alert>
      <TextBlock label="Advanced filter" text={JSON.stringify(writePipeline(stages), null, 2)} />
    </>
  )
}
