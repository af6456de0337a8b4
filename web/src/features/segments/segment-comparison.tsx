import type { Segment } from '@portico/contract/segments'
import { Loader, Select, Text } from '@mantine/core'
import { useState } from 'react'
import { messageOf } from '#lib/api/api-error.ts'
import { formatNumber } from '#lib/formats.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { useComparison, useSegments } from './segments-queries.ts'

/** How the people of a segment overlap with those of another one. */
export function SegmentComparison({ segment }: { segment: Segment }) {
  const [other, setOther] = useState<string | null>(null)
  const segments = useSegments()
  const options = (segments.data ?? []).filter(({ _id }) => _id !== segment._id)
  const chosen = options.find(({ _id }) => _id === other)
  return (
    <Panel title="Compare">
      <Select
        label="With another segment"
        placeholder="Choose a segment"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the other segment' }}
        nothingFoundMessage="No matching segments found."
        data={options.map(({ _id, name, isOwn }) => ({
          value: _id,
          label: isOwn ? name : `${name} (of the parent account)`,
        }))}
        value={other}
        error={segments.error ? messageOf(segments.error) : undefined}
        onChange={setOther}
      />
      {chosen && <Overlap id={segment._id} other={chosen._id} names={[segment.name, chosen.name]} />}
    </Panel>
  )
}

type OverlapProps = { id: string; other: string; names: [one: string, other: string] }

function Overlap({ id, other, names: [one, another] }: OverlapProps) {
  const { data, error, refetch } = useComparison(id, other)
  if (error) return <FailureState message={messageOf(error)} onRetry={() => void refetch()} />
  if (!data) return <Loader size={18} mt="sm" aria-label="Comparing" />
  const { both, onlyThis, onlyOther } = data
  return (
    <>
      <Text size="sm" my="sm">{`${formatNumber(both + onlyThis + onlyOther)} people in either`}</Text>
      <DefinitionList
        columns={3}
        label="Comparison"
        items={[
          { term: 'In Both', value: formatNumber(both) },
          { term: `Only in ${one}`, value: formatNumber(onlyThis), key: 'one' },
          { term: `Only in ${another}`, value: formatNumber(onlyOther), key: 'other' },
        ]}
      />
    </>
  )
}
