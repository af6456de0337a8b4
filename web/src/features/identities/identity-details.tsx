import type { Identity } from '@portico/contract/identities'
import { Text } from '@mantine/core'
import { identityName, describeDays, describeHours } from '#domain/access'
import { formatDate } from '#lib/formats.ts'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { NameList } from '#ui/page/name-list.tsx'
import { AccessExplanation } from './access-explanation.tsx'
import { RightsPanel } from './rights-panel.tsx'
import { RowRuleText } from './row-rule-text.tsx'

/** Content of an identity's expanded row. */
export function IdentityDetails({ identity }: { identity: Identity }) {
  const { _id, kind, status, email, userName, days, daysEffect, hours, hoursEffect, cidr, apiCredentials, groups } =
    identity
  return (
    <>
      <DefinitionList
        label={`Details of ${identityName(identity)}`}
        items={[
          { term: 'ID', value: _id },
          ...(kind === 'person'
            ? [
                { term: 'User Name', value: userName },
                { term: 'Last Sign-In', value: formatDate(identity.lastSignInAt) },
              ]
            : [{ term: 'In the Audit Log', value: email }]),
          { term: 'Credentials', value: apiCredentials.length },
          { term: 'Days', value: describeDays(days, daysEffect) },
          { term: 'Hours', value: describeHours(hours, hoursEffect) },
          { term: 'CIDR', value: cidr ?? 'From anywhere' },
          { term: 'Contacts', value: <RowRuleText rule={identity.rowRule} />, isWide: true },
          ...groups.map((group) => ({
            term: `Policies of ${group.name}`,
            value: <NameList names={group.policies.map(({ name }) => name)} />,
            isWide: true,
            key: group._id,
          })),
        ]}
      />
      {status === 'invited' ? (
        <Text size="sm" c="dimmed" mt="sm">
          {`${email} has no access until they accept the invitation.`}
        </Text>
      ) : (
        <>
          <RightsPanel email={email} name={identityName(identity)} />
          <AccessExplanation email={email} name={identityName(identity)} />
        </>
      )}
    </>
  )
}
