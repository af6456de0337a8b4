import { Button, Group, SimpleGrid, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import IconMapPin from '#icons/IconMapPin'
import { AddressDialog } from './address-dialog.tsx'
import type { Draft } from '../draft.ts'
import type { TabProps } from '../props.ts'

/** Contacts within a number of miles of a place. */
export function LocationTab({ draft, onChange, problems }: TabProps) {
  const [isAsking, setAsking] = useState(false)
  const [found, setFound] = useState<string | null>(null)
  const { location } = draft
  const hasDistance = location.distance.trim() !== ''
  const change = (part: Partial<Draft['location']>): void => onChange({ ...draft, location: { ...location, ...part } })
  const input = (name: keyof Draft['location'], label: string) => (
    <TextInput
      label={label}
      inputMode="decimal"
      withAsterisk={name !== 'distance'}
      value={location[name]}
      error={problems[name]}
      onChange={(event) => {
        if (name !== 'distance') setFound(null)
        change({ [name]: event.currentTarget.value })
      }}
    />
  )
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        {input('distance', 'Distance in miles')}
        {hasDistance && input('latitude', 'Latitude')}
        {hasDistance && input('longitude', 'Longitude')}
      </SimpleGrid>
      {hasDistance && (
        <Group mt="sm" gap="sm">
          <Button variant="default" leftSection={<IconMapPin size={14} aria-hidden />} onClick={() => setAsking(true)}>
            Find an address
          </Button>
          <Text component="output" size="sm" c="dimmed" flex={1}>
            {found}
          </Text>
        </Group>
      )}
      <Text size="xs" c="dimmed" mt="sm">
        Finds contacts from imports with a latitude and a longitude column.
        {!hasDistance && ' Enter a distance to choose a place.'}
      </Text>
      {isAsking && (
        <AddressDialog
          onFound={({ latitude, longitude, said }) => {
            setFound(said)
            change({ latitude, longitude })
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
