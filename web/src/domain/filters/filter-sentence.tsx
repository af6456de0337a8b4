import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { Anchor, Code, Stack } from '@mantine/core'
import { useState } from 'react'
import type { FilterField } from './stages/filter.ts'
import { readFilter } from './stages/filter-of.ts'
import { sentenceOf } from './stages/sentence-of.ts'

type Named = (savedId: string) => string | undefined

/** Stages as a sentence; the reason if rows cannot show them, such as a field that no longer exists. */
export function filterSentence(stages: Pipeline, fields: readonly FilterField[], nameOf: Named): string {
  const filter = readFilter(stages, fields)
  if (filter.advanced !== null) return filter.advanced.problem
  return sentenceOf(filter, filter.predefined === null ? undefined : nameOf(filter.predefined))
}

type FilterSentenceProps = {
  stages: Pipeline
  fields: readonly FilterField[]
  nameOf: Named
  /** Why fields are missing, shown instead of a problem for each of them. */
  obstacle?: string | null
}

/** Stages as a sentence, with their JSON on request if rows cannot show them. */
export function FilterSentence({ stages, fields, nameOf, obstacle = null }: FilterSentenceProps) {
  const [isShown, setShown] = useState(false)
  const isAdvanced = readFilter(stages, fields).advanced !== null
  return (
    <Stack gap={6} align="flex-start">
      <span style={{ overflowWrap: 'anywhere' }}>
        {(isAdvanced && obstacle) || filterSentence(stages, fields, nameOf)}
      </span>
      {isAdvanced && (
        <Anchor component="button" type="button" size="sm" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide JSON' : 'Show as JSON'}
        </Anchor>
      )}
      {isAdvanced && isShown && (
        <Code block w="100%" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {JSON.stringify(writePipeline(stages), null, 2)}
        </Code>
      )}
    </Stack>
  )
}
