import type { Group } from '@portico/contract/policies'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { NameList } from '#ui/page/name-list.tsx'
import { levelOf } from '#domain/access'

/** Content of a group's expanded row. */
export function GroupDetails({ group }: { group: Group }) {
  const { _id, name, isAdmin, policies, ownerPaid } = group
  return (
    <DefinitionList
      label={`Details of ${name}`}
      items={[
        { term: 'ID', value: _id },
        { term: 'Level', value: levelOf(ownerPaid) },
        { term: 'Is Admin', value: isAdmin ? 'Yes' : 'No' },
        {
          term: `Policies (${policies.length})`,
          value: <NameList names={policies.map((policy) => policy.name)} />,
          isWide: true,
          key: 'policies',
        },
      ]}
    />
  )
}
