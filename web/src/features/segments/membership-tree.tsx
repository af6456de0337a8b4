import type { Field } from '@portico/contract/contacts'
import type { MembershipNode } from '@portico/contract/segments'
import { Anchor, Code, Text } from '@mantine/core'
import { useMemo } from 'react'
import { Link } from 'react-router'
import IconCheck from '#icons/IconCheck'
import IconEyeOff from '#icons/IconEyeOff'
import IconX from '#icons/IconX'
import { describeCondition, filterFields } from '#domain/filters'
import { formatCount } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { seenText } from './membership-texts.ts'
import css from './membership.module.css'

type TreeProps = {
  nodes: readonly MembershipNode[]
  /** How many further ones there are. */
  more: number
  fields: readonly Field[]
  contact: string
  label?: string
}

/** Conditions of a segment as they are nested, each with whether a contact meets it, and the value that it has. */
export function MembershipTree({ nodes, more, fields, contact, label }: TreeProps) {
  return (
    <ul className={css['tree']} aria-label={label}>
      {nodes.map((node, at) => (
        // Conditions have no ids, and neither change nor move in one explanation.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={at}>
          <div className={css['node']} data-met={node.isMet ?? undefined}>
            <Verdict isMet={node.isMet} />
            <div className={css['text']}>
              <NodeText node={node} fields={fields} contact={contact} />
            </div>
          </div>
          {'of' in node && <MembershipTree nodes={node.of} more={node.more} fields={fields} contact={contact} />}
        </li>
      ))}
      {more > 0 && <li className={css['more']}>{`${formatCount(more, 'further condition')} are not shown.`}</li>}
    </ul>
  )
}

function Verdict({ isMet }: { isMet: boolean | null }) {
  const [Icon, text] = isMet === null ? [IconEyeOff, 'Hidden'] : isMet ? [IconCheck, 'Meets'] : [IconX, 'Does not meet']
  return (
    <span className={css['verdict']}>
      <Icon size={15} stroke={2.2} aria-hidden />
      {text}
    </span>
  )
}

const groupTexts = { all: 'All of these', any: 'At least one of these', none: 'None of these' }

function NodeText({ node, fields, contact }: { node: MembershipNode; fields: readonly Field[]; contact: string }) {
  switch (node.kind) {
    case 'all':
    case 'any':
    case 'none':
      return groupTexts[node.kind]
    case 'segment':
      return (
        <>
          {'In the segment '}
          {node.id === null ? (
            node.name
          ) : (
            <Anchor component={Link} inherit to={paths.segment(node.id, { contact })}>
              {node.name}
            </Anchor>
          )}
        </>
      )
    case 'condition':
      return <ConditionText node={node} fields={fields} />
  }
}

type ConditionTextProps = { node: Extract<MembershipNode, { kind: 'condition' }>; fields: readonly Field[] }

function ConditionText({ node, fields }: ConditionTextProps) {
  const known = useMemo(() => filterFields(fields), [fields])
  const text = useMemo(() => describeCondition(node.condition, known), [node.condition, known])
  const seen = node.isMet === null ? 'Your policies do not let you search by this.' : seenText(node, fields)
  return (
    <>
      {text ? <span>{text}</span> : <Code className={css['code'] ?? ''}>{JSON.stringify(node.condition)}</Code>}
      {seen !== null && (
        <Text size="xs" c="dimmed">
          {seen}
        </Text>
      )}
    </>
  )
}
