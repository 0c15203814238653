package source

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// textMethods is a method of a text that may be one of some.
func textMethods(of value, name string, args []value) value {
	var out value
	for i, s := range of.texts {
		v := value{}
		switch {
		case !strings.Contains(s, Hole):
			v = textMethod(s, name, args)
		case s != Hole:
			v = partMethod(s, name, args)
		default:
			v = unknownMethod(name, args)
		}
		if i > 0 {
			v = either(out, v)
		}
		out = v
	}
	return out
}

// partMethod is a method of a text that is known in parts.
func partMethod(s, name string, args []value) value {
	switch name {
	case "toLowerCase", "toUpperCase", "toString", "valueOf":
		if v := textMethod(strings.ReplaceAll(s, Hole, "\x00"), name, args); v.sort == text && len(v.texts) == 1 {
			return textOf(strings.ReplaceAll(v.texts[0], "\x00", Hole))
		}
	case "trim", "trimStart", "trimEnd":
		return textMethod(s, name, args)
	case "padStart", "padEnd": // what pads a number or an amount is no part of a name
		if with, ok := padding(args); ok && strings.Trim(with, "0123456789 ") == "" {
			return textOf(s)
		}
	case "concat":
		return concatAll(textOf(s), args)
	case "split":
		return bagOf([]value{built()})
	}
	return otherMethod(name)
}

// otherMethod is a method of a text that is not worked out: what gives back a text puts it together.
func otherMethod(name string) value {
	switch name {
	case "startsWith", "endsWith", "includes", "test", "isWellFormed", "forEach", "then":
		return value{}
	case "indexOf", "lastIndexOf", "search", "charCodeAt", "codePointAt", "localeCompare":
		return value{sort: numeric}
	}
	return built()
}

func concatAll(of value, args []value) value {
	for _, a := range args {
		of = concat(of, a)
	}
	return of
}

// textMethod is a method of a text that is known in full.
func textMethod(s, name string, args []value) value {
	r, counted := units(s)
	switch name {
	case "concat":
		return concatAll(textOf(s), args)
	case "toLowerCase", "toLocaleLowerCase", "toUpperCase", "toLocaleUpperCase", "normalize":
		return recased(s, name, args)
	case "trim":
		return textOf(strings.TrimFunc(s, space))
	case "trimStart":
		return textOf(strings.TrimLeftFunc(s, space))
	case "trimEnd":
		return textOf(strings.TrimRightFunc(s, space))
	case "valueOf", "toString":
		return textOf(s)
	case "replace", "replaceAll":
		return replaced(s, name, args)
	case "split":
		return split(s, args)
	case "match":
		return matched(s, args)
	case "slice", "substring", "substr":
		if from, to, ok := bounds(args, len(r), name); ok && counted {
			return textOf(string(r[from:to]))
		}
	case "charAt", "at":
		return letterAt(s, name, args)
	case "charCodeAt", "codePointAt":
		if i, ok := index(args); ok && counted && i >= 0 && i < len(r) {
			return numberOf(float64(r[i]))
		}
	case "repeat":
		if n, ok := integer(args, 0); ok && n >= 0 && n <= maxText && n*len(s) <= maxText {
			return textOf(strings.Repeat(s, n))
		}
	case "padStart", "padEnd":
		if pad, ok := pad(s, args); ok && name == "padStart" {
			return textOf(pad + s)
		} else if ok {
			return textOf(s + pad)
		}
	}
	return otherMethod(name)
}

// space reports whether trim takes a letter off (ECMA-262, 12.2 and 12.3).
func space(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) }

// recased is a text in other letters, which is known for ASCII.
func recased(s, name string, args []value) value {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return built()
		}
	}
	switch {
	case name == "normalize":
		return textOf(s)
	case len(args) > 0:
		return built()
	case strings.HasSuffix(name, "LowerCase"):
		return textOf(strings.ToLower(s))
	}
	return textOf(strings.ToUpper(s))
}

// index is the place that charAt(args) asks for.
func index(args []value) (int, bool) {
	if len(args) == 0 {
		return 0, true
	}
	return integer(args, 0)
}

func letterAt(s, name string, args []value) value {
	i, ok := index(args)
	switch {
	case !ok:
		return anyLetter(s)
	case i < 0 && name == "charAt":
		return textOf("")
	}
	if v := at(s, float64(i)); v.sort != unknown || name == "at" {
		return v
	}
	return textOf("")
}

// pad is what padStart and padEnd add to s, if that is known.
func pad(s string, args []value) (string, bool) {
	with, known := padding(args)
	n, ok := integer(args, 0)
	r, counted := units(with)
	have, alsoCounted := units(s)
	if n -= len(have); !known || !ok || !counted || !alsoCounted || n > maxText {
		return "", false
	}
	if n <= 0 || len(r) == 0 {
		return "", true
	}
	return string([]rune(strings.Repeat(with, n/len(r)+1))[:n]), true
}

func padding(args []value) (string, bool) {
	if len(args) < 2 {
		return " ", true
	}
	return args[1].known()
}

// pattern is what a method looks for: a text, or an expression that Go and JavaScript read alike. all is its flag g.
func pattern(args []value, s string) (re *regexp.Regexp, all, ok bool) {
	if len(args) == 0 {
		return nil, false, false
	}
	if t, known := args[0].known(); known && args[0].sort == text {
		return regexp.MustCompile(regexp.QuoteMeta(t)), false, true
	}
	if args[0].sort != object {
		return nil, false, false
	}
	source, isSource := args[0].fields["source"].known()
	flags, isFlags := args[0].fields["flags"].known()
	if !isSource || !isFlags || strings.Trim(flags, "g") != "" || len(source) > 32 || strings.ContainsAny(source, "(){}^$") ||
		!ascii(source) || !ascii(s) {
		return nil, false, false
	}
	re, err := regexp.Compile(source)
	if err != nil || re.MatchString("") {
		return nil, false, false
	}
	return re, flags != "", true
}

// ascii reports whether all letters of s can be seen and are ASCII.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func replaced(s, name string, args []value) value {
	re, all, ok := pattern(args, s)
	if !ok || len(args) < 2 {
		return built()
	}
	with, ok := args[1].known()
	if !ok || args[1].sort != text || strings.Contains(with, "$") {
		return built()
	}
	if all || name == "replaceAll" {
		return textOf(re.ReplaceAllLiteralString(s, with))
	}
	at := re.FindStringIndex(s)
	if at == nil {
		return textOf(s)
	}
	return textOf(s[:at[0]] + with + s[at[1]:])
}

func split(s string, args []value) value {
	if len(args) == 0 {
		return listOf([]value{textOf(s)})
	}
	re, _, ok := pattern(args, s)
	limit, isLimit := -1, true
	if len(args) > 1 {
		limit, isLimit = integer(args, 1)
	}
	if !ok || !isLimit || len(args) > 1 && limit < 0 {
		return bagOf([]value{built()})
	}
	var parts []string
	if by, isText := args[0].known(); isText && by == "" {
		parts = strings.Split(s, "")
	} else {
		parts = re.Split(s, -1)
	}
	var l []value
	for i, p := range parts {
		if limit >= 0 && i >= limit {
			break
		}
		l = append(l, textOf(p))
	}
	return listOf(l)
}

func matched(s string, args []value) value {
	re, all, ok := pattern(args, s)
	if !ok {
		return built()
	}
	n := 1
	if all {
		n = -1
	}
	var l []value
	for _, m := range re.FindAllString(s, n) {
		l = append(l, textOf(m))
	}
	if l == nil {
		return word("null")
	}
	return listOf(l)
}

// unknownMethod is a method of something that is not known.
func unknownMethod(name string, args []value) value {
	switch name {
	case "join":
		if len(args) > 1 { // a function of some module, such as path.join
			return value{}
		}
		return joined(value{}, args)
	case "concat":
		for _, a := range args {
			if a.sort == text {
				return built()
			}
		}
	case "reduce", "reduceRight":
		if len(args) > 1 && args[1].sort == text {
			return built()
		}
	case "indexOf", "lastIndexOf", "findIndex", "charCodeAt", "codePointAt", "getTime", "getDay", "getDate", "getMonth",
		"getFullYear", "getHours", "getMinutes", "getSeconds":
		return value{sort: numeric}
	}
	return value{}
}

// numberMethod is a method of a number.
func numberMethod(of value, name string, args []value) value {
	switch name {
	case "toString":
		if len(args) == 0 {
			return textOf(of.strings()...)
		}
		base, ok := integer(args, 0)
		if ok && of.sort == number && of.number == float64(int64(of.number)) && base >= 2 && base <= 36 {
			return textOf(strconv.FormatInt(int64(of.number), base))
		}
		if ok && base <= 16 {
			return textOf("0" + Hole)
		}
		return value{}
	case "toFixed", "toPrecision", "toLocaleString", "toExponential":
		return textOf("0" + Hole)
	case "valueOf":
		return of
	}
	return value{}
}
