package policy

func placeKeys() []Key {
	return []Key{
		{Path: "paths.roots", Want: "a folder such as packages/web/src", check: rootCheck,
			Allows: "The folders below which files may change, and be added.",
			Floor: "Even inside: no file or folder that begins with a dot, no node_modules, tests, configuration, package or lock files, " +
				"no .d.ts, no agent instruction files, and only the characters A-Z a-z 0-9 . _ - ( ) [ ] @ + = , and the space in names.",
			field: func(p *Policy) any { return &p.Paths.Roots }},
		{Path: "paths.extensions", Want: "one of .ts, .tsx, .css", oneOf: []string{".ts", ".tsx", ".css"}, check: extensionCheck,
			Allows: "The endings of files that may change.",
			Floor:  "Each needs a judge in the checker; there are no others.",
			field:  func(p *Policy) any { return &p.Paths.Extensions }},
		{Path: "paths.security_modules", Want: "a file such as packages/web/src/lib/env.ts", check: moduleCheck,
			Allows: "Files that never change.",
			Floor:  "No new file or folder may be loaded in their place, by the resolution orders of Next.js and TypeScript, compared without case.",
			field:  func(p *Policy) any { return &p.Paths.SecurityModules }},
		{Path: "paths.security_folders", Want: "a folder such as packages/web/src/db", check: pathCheck,
			Allows: "Folders below which nothing changes.",
			Floor:  "No new file or folder may be loaded in their place either.",
			field:  func(p *Policy) any { return &p.Paths.SecurityFolders }},
		{Path: "paths.app_folders", Want: "a folder such as packages/web/src/app", check: pathCheck,
			Allows: "Folders from which the framework serves files: those that are there may change, none may be added.",
			Floor:  "New route, middleware, proxy, instrumentation, instrumentation-client and mdx-components files are refused everywhere.",
			field:  func(p *Policy) any { return &p.Paths.AppFolders }},
	}
}

func limitKeys() []Key {
	return []Key{
		{Path: "limits.changed_lines", Want: "a whole number from 1 to 2000", Min: 1, Max: 2000,
			Allows: "Added plus removed lines of one patch.",
			field:  func(p *Policy) any { return &p.Limits.ChangedLines }},
		{Path: "limits.patch_bytes", Want: "a whole number from 1 to 1048576", Min: 1, Max: 1 << 20,
			Allows: "Bytes of one patch.",
			field:  func(p *Policy) any { return &p.Limits.PatchBytes }},
		{Path: "limits.file_bytes", Want: "a whole number from 1 to 524288", Min: 1, Max: 512 << 10,
			Allows: "Bytes of each changed file, before and after, above which it is not even parsed.",
			field:  func(p *Policy) any { return &p.Limits.FileBytes }},
		{Path: "limits.line_length", Want: "a whole number from 1 to 4000", Min: 1, Max: 4000,
			Allows: "Bytes of an added line: a longer one is not read by a reviewer.",
			field:  func(p *Policy) any { return &p.Limits.LineLength }},
		{Path: "limits.blank_run", Want: "a whole number from 1 to 400", Min: 1, Max: 400,
			Allows: "Blanks in a row in an added line: more push code off the screen.",
			field:  func(p *Policy) any { return &p.Limits.BlankRun }},

		{Path: "secrets.names", Want: "the name of a secret, such as DATABASE_URL", form: secretNameForm,
			Allows: "Names of this workflow's secrets, which no path and no added line may hold.",
			Floor:  "Shapes of secrets are refused whatever stands here: known tokens, private keys, addresses with a password, long hexadecimal and random runs.",
			field:  func(p *Policy) any { return &p.Secrets.Names }},
	}
}

func codeKeys() []Key {
	return []Key{
		{Path: "code.words", Want: "an identifier such as serverEnv", form: identifierForm, check: wordCheck,
			Allows: "Identifiers that no added line may hold, anywhere in it.",
			Floor:  "The built-in words (process, globalThis, constructor and so on) are refused whatever stands here; none can be taken out.",
			field:  func(p *Policy) any { return &p.Code.Words }},
		{Path: "code.imports", Optional: true, Want: "a package such as react or next/link", form: packageForm, check: importCheck,
			Allows: "Packages that a patch may import in a file that does not import them yet.",
			Floor:  "Never a module of Node.js, nor one that reaches the server's side of the framework.",
			field:  func(p *Policy) any { return &p.Code.Imports }},
		{Path: "code.aliases", Optional: true, Want: "a prefix and its folder such as @/=packages/web/src/", check: aliasCheck,
			Allows: "Import prefixes that mean a folder, so that an import is judged by the file it leads to.",
			field:  func(p *Policy) any { return &p.Code.Aliases }},
		{Path: "code.hosts", Optional: true, Want: "a host name such as example.com", form: hostNameForm,
			Allows: "Hosts that a URL in an added line may name. Left out, none may.",
			field:  func(p *Policy) any { return &p.Code.Hosts }},
	}
}
