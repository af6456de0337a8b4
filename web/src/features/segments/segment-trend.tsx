import type { SegmentNight } from '@portico/contract/segments'
import { Anchor, ScrollArea, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount, formatDay, formatNumber } from '#lib/formats.ts'
import { TrendLine } from '#ui/chart/trend-line.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { trendText } from './segment-texts.ts'
import css from './segments.module.css'

/** The nightly counts as a line, and as a table on request. */
export function SegmentTrend({ nights }: { nights: readonly SegmentNight[] }) {
  const [isTable, setTable] = useState(false)
  const counts = nights.flatMap(({ contacts }) => contacts ?? [])
  const [first, last] = [nights[0], nights.at(-1)]
  if (!first || !last) return <Panel title="Trend">The first count comes tonight.</Panel>
  return (
    <Panel title="Trend" description={formatCount(nights.length, 'night')}>
      {last.reason !== null && (
        <Text size="sm" c="red" mb="xs" style={{ overflowWrap: 'anywhere' }}>
          {`It could not be counted last night: ${last.reason}`}
        </Text>
      )}
      {counts.length > 0 && (
        <div className={css['trend']}>
          <div className={css['scale']} aria-hidden>
            <span>{formatNumber(Math.max(...counts))}</span>
            <span>{formatNumber(Math.min(...counts))}</span>
          </div>
          <TrendLine values={nights.map(({ contacts }) => contacts)} label={trendText(nights)} height={120} />
          <div className={css['days']} aria-hidden>
            <span>{formatDay(first.night)}</span>
            <span>{formatDay(last.night)}</span>
          </div>
        </div>
      )}
      <Anchor component="button" type="button" size="sm" aria-expanded={isTable} onClick={() => setTable(!isTable)}>
        {isTable ? 'Hide the table' : 'Show as a table'}
      </Anchor>
      {isTable && (
        <ScrollArea.Autosize mah={260} mt="xs" viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Nights' }}>
          <Table aria-label="Nightly counts">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Night</Table.Th>
                <Table.Th ta="right">People</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {nights.toReversed().map(({ night, contacts, reason }) => (
                <Table.Tr key={night}>
                  <Table.Td>{formatDay(night)}</Table.Td>
                  <Table.Td ta="right">{contacts === null ? reason : formatNumber(contacts)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
      )}
    </Panel>
  )
}
