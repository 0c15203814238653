package fence

// Explain says what this kernel can enforce.
func Explain() string { return "" }
