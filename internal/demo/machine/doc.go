// Package machine plays the demo on this machine, without an engine.
//
// In goes a program whose "step" command is the worker, a cache for what is installed once, and a place to say how it goes;
// out comes a demo.Page. Every step is a process of its own behind the fence (pipeline/local); the stand-ins (package sandbox)
// are served on loopback by this process and asked over their control API, as an engine's are; the application's tests run behind
// the fence too (package bot).
//
// A file of the machine lies where the plays tell the model to read and write: whatever a step or a play leaves there, or
// sends of it to the model, makes the play a bad one.
package machine
