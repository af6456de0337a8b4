import { useMantineColorScheme } from '@mantine/core'
import type { SpotlightActionData, SpotlightActionGroupData } from '@mantine/spotlight'
import { useNavigate } from 'react-router'
import IconBuilding from '#icons/IconBuilding'
import IconHelp from '#icons/IconHelp'
import IconKeyboard from '#icons/IconKeyboard'
import IconLogout from '#icons/IconLogout'
import IconPlus from '#icons/IconPlus'
import { useDeployment } from '#lib/deployment.ts'
import { openNew } from '#lib/open-new.ts'
import { paths } from '#lib/paths.ts'
import { parentNameOf, signOut, useAccount, useAccounts, useUser } from '#lib/session/session.ts'
import { mayOpen, openScreens } from '../../access.ts'
import { screenPath } from '../../screens.ts'
import { useShownAreas } from '../../shown-areas.ts'
import { useEnter } from '../enter-account.ts'
import { themes } from '../theme-menu.tsx'

const size = { size: 18, stroke: 1.6, 'aria-hidden': true } as const

/** All entries of the palette: the screens and actions that the user may use, and the accounts to enter. */
export function usePaletteActions(onShortcutsOpen: () => void): SpotlightActionGroupData[] {
  const groups = [
    { group: 'Go to', actions: useScreens() },
    { group: 'Do', actions: [...useNewForms(), ...useThemes(), ...useOthers(onShortcutsOpen)] },
    { group: 'Switch account', actions: useOtherAccounts() },
  ]
  return groups.filter(({ actions }) => actions.length > 0)
}

function useScreens(): SpotlightActionData[] {
  const user = useUser()
  const navigate = useNavigate()
  return useShownAreas()
    .flatMap((area) => [
      { path: area.path, label: area.label, description: '', Icon: area.Icon },
      ...openScreens(area, user).map((screen) => ({
        path: screenPath(area, screen),
        label: screen.label,
        description: area.label,
        Icon: screen.Icon,
      })),
    ])
    .map(({ path, label, description, Icon }) => ({
      id: path,
      label,
      ...(description && { description }),
      leftSection: <Icon {...size} />,
      onClick: () => void navigate(path),
    }))
}

function useNewForms(): SpotlightActionData[] {
  const user = useUser()
  const navigate = useNavigate()
  const forms = [
    { label: 'New import', path: paths.imports(), feature: 'contact-imports-create' },
    { label: 'New remote access', path: paths.remoteAccess(), feature: 'contact-access-create' },
    { label: 'New export', path: paths.exports(), feature: 'contact-export-create' },
  ]
  return forms
    .filter(({ path, feature }) => user.policies.includes(feature) && mayOpen(path, user))
    .map(({ label, path }) => ({
      id: label,
      label,
      leftSection: <IconPlus {...size} />,
      onClick: () => void navigate(path, { state: openNew }),
    }))
}

function useThemes(): SpotlightActionData[] {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return themes
    .filter(({ value }) => value !== colorScheme)
    .map(({ value, label, Icon }) => ({
      id: `theme ${value}`,
      label: `Theme: ${label.toLowerCase()}`,
      keywords: ['dark mode', 'light mode', 'colour scheme'],
      leftSection: <Icon {...size} />,
      onClick: () => setColorScheme(value),
    }))
}

function useOthers(onShortcutsOpen: () => void): SpotlightActionData[] {
  const { helpUrl } = useDeployment()
  const { isImpersonated } = useUser()
  return [
    {
      id: 'shortcuts',
      label: 'Keyboard shortcuts',
      leftSection: <IconKeyboard {...size} />,
      onClick: onShortcutsOpen,
    },
    ...(helpUrl
      ? [
          {
            id: 'help',
            label: 'Help',
            description: 'Opens in a new tab',
            leftSection: <IconHelp {...size} />,
            onClick: () => void window.open(helpUrl, '_blank', 'noreferrer'),
          },
        ]
      : []),
    ...(isImpersonated
      ? []
      : [{ id: 'logout', label: 'Logout', leftSection: <IconLogout {...size} />, onClick: () => void signOut() }]),
  ]
}

function useOtherAccounts(): SpotlightActionData[] {
  const accounts = useAccounts().data ?? []
  const { id } = useAccount()
  const { isImpersonated } = useUser()
  const enter = useEnter()
  if (isImpersonated) return []
  return accounts
    .filter(({ Key }) => Key !== id)
    .map((entry) => {
      const { Key, Value } = entry
      const parent = parentNameOf(entry, accounts)
      return {
        id: `account ${Key}`,
        label: Value,
        description: parent === null ? `Account ${Key}` : `Account ${Key} in ${parent}`,
        keywords: ['account'],
        leftSection: <IconBuilding {...size} />,
        onClick: () => void enter(Key),
      }
    })
}
