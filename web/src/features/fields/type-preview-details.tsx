import type { RetypedUse, TypePreview, TypeReading } from '@portico/contract/fields'
import { Anchor, List, Table, Text } from '@mantine/core'
import { Link } from 'react-router'
import { formatCount, formatNumber } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { usesByKind, usesWithProblem } from './field-texts.ts'

type TypePreviewDetailsProps = { preview: TypePreview; reading: TypeReading | null }

/** The effect of another type on a field's values and uses. */
export function TypePreviewDetails({ preview: { filled, uses }, reading }: TypePreviewDetailsProps) {
  return (
    <>
      {reading && (
        <>
          <Text size="sm" component="output">
            {`${formatNumber(reading.converted)} of ${formatCount(filled, 'value')} convert.`}
          </Text>
          {reading.examples.length > 0 && (
            <Text size="sm" c="dimmed">
              {`Written differently: ${reading.examples.map(({ before, after }) => `${before} → ${after}`).join(' · ')}`}
            </Text>
          )}
          {reading.misfits.contacts > 0 && <Misfits {...reading.misfits} />}
          <Text size="sm">
            Texts are kept as they were written. Change the type back, and each contact has its text again, unless its
            value was changed.
          </Text>
        </>
      )}
      <Uses uses={uses} />
    </>
  )
}

function Misfits({ contacts, first }: TypeReading['misfits']) {
  const isWhole = first.length === contacts
  return (
    <div>
      <Text size="sm" fw={600}>
        {`${formatCount(contacts, 'contact')} will have no value`}
      </Text>
      {!isWhole && <Text size="xs" c="dimmed">{`The first ${first.length}:`}</Text>}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by the keyboard */}
      <section style={{ maxHeight: 220, overflow: 'auto' }} tabIndex={0} aria-label="Values that do not convert">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Contact</Table.Th>
              <Table.Th>Text</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {first.map(({ contact, text }) => (
              <Table.Tr key={contact}>
                <Table.Td>
                  <Anchor component={Link} to={paths.contact(contact)} target="_blank" size="sm">
                    {contact}
                  </Anchor>
                </Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{text}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </div>
  )
}

function Uses({ uses }: { uses: readonly RetypedUse[] }) {
  if (uses.length === 0) return <Text size="sm">Nothing stored names this field.</Text>
  const broken = usesWithProblem(uses)
  return (
    <section aria-label="What uses this field">
      <Text size="sm">
        {`Used by ${usesByKind(uses)
          .map(({ term, value }) => `${term}: ${value}`)
          .join('; ')}.`}
      </Text>
      {broken.length > 0 && (
        <>
          <Text size="sm" fw={600}>
            These will no longer work until they are changed:
          </Text>
          <List size="sm">
            {broken.map((text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        </>
      )}
    </section>
  )
}
