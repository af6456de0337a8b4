import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { messageOf } from '#lib/api/api-error.ts'
import type { Filter } from './stages/filter.ts'
import { useFilterResult } from './filter-queries.ts'
import { stagesOf } from './stages/stages-of.ts'
import { TextBlock } from './tabs/text-block.tsx'

/** The filter's stages and first results, for administrators. */
export function AdminExtras({ filter }: { filter: Filter | null }) {
  const [isShown, setShown] = useState(false)
  const stages = filter && stagesOf(filter)
  const text = JSON.stringify(stages && writePipeline(stages), null, 2)
  const [asked, setAsked] = useState<string | null>(null)
  // The result of another filter would be misleading.
  const isAsked = asked === text
  const result = useFilterResult(isAsked ? stages : null)
  const isLoading = isAsked && result.isLoading
  return (
    <>
      <Group gap="xs" mt="xs">
        <Button variant="subtle" size="compact-xs" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide Filter' : 'Show Filter'}
        </Button>
        <Button
          variant="subtle"
          size="compact-xs"
          disabled={filter === null}
          loading={isLoading}
          onClick={() => {
            if (isAsked) void result.refetch()
            setAsked(text)
          }}
        >
          Filter&apos;s Result
        </Button>
        {isAsked && !isLoading && (
          <Button variant="subtle" size="compact-xs" onClick={() => setAsked(null)}>
            Hide Result
          </Button>
        )}
      </Group>
      {isShown && <TextBlock label="Filter as text" text={filter ? text : 'This filter is not complete yet.'} />}
      {isAsked && !isLoading && (
        <TextBlock label="Filter's result" text={result.error ? messageOf(result.error) : resultText(result.data)} />
      )}
    </>
  )
}

const resultText = (rows: unknown): string =>
  Array.isArray(rows) && rows.length === 0 ? 'Nothing was found.' : JSON.stringify(rows ?? null, null, 2)
