import type { AuditEntry } from '@portico/contract/audit'
import { Code, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatDate, formatNumber } from '#lib/formats.ts'
import { type Definition, DefinitionList } from '#ui/page/definition-list.tsx'
import { NameList } from '#ui/page/name-list.tsx'
import { viaNames } from './via-names.ts'

/** Details of a change in the audit log. */
export function AuditDetails({ entry: { details, via, viaName, _id } }: { entry: AuditEntry }) {
  const items = Object.entries(details).map(([name, value]): Definition => ({ term: inWords(name), ...shown(value) }))
  const how = via && [viaNames[via], viaName].filter(Boolean).join(': ')
  return (
    <>
      {items.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          No details.
        </Text>
      )}
      <DefinitionList
        columns={4}
        items={[...items, { term: 'How', value: how, key: 'how' }, { term: 'Line', value: _id, key: 'line' }]}
      />
    </>
  )
}

/** `purlColumns` → Purl columns */
function inWords(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isInstant = (text: string): boolean => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text)

function shown(value: unknown): { value: ReactNode; isWide?: boolean } {
  if (value === null || value === undefined) return { value: null }
  if (typeof value === 'string')
    return { value: isInstant(value) ? formatDate(value) : value, isWide: value.length > 80 }
  if (typeof value === 'number') return { value: formatNumber(value) }
  if (typeof value === 'boolean') return { value: value ? 'Yes' : 'No' }
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return { value: <NameList names={value} />, isWide: true }
  }
  return { value: <Code block>{JSON.stringify(value, null, 2)}</Code>, isWide: true }
}
