(** * Samples of a list of rows: expectations *)

From Coq Require Import Reals Lra Psatz Lia Arith List Bool Permutation.
From Crowdproof Require Import Definitions Binomial.
Import ListNotations.
Open Scope R_scope.

Section Expectation.
Variable Row : Type.
Notation E := (E Row).

Lemma E_ext b l : forall h h', (forall s, h s = h' s) -> E b l h = E b l h'.
Proof. induction l; intros h h' H; simpl. apply H. rewrite (IHl h h' H). rewrite (IHl (fun s => h (a :: s)) (fun s => h' (a :: s))) by (intro; apply H). reflexivity. Qed.

Lemma E_le b l : 0 <= b <= 1 -> forall h h', (forall s, h s <= h' s) -> E b l h <= E b l h'.
Proof. intros Hb. induction l; intros h h' H; simpl. apply H. apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply IHl; intro; apply H. Qed.

Lemma E_lin b l : forall h h' a c, E b l (fun s => a * h s + c * h' s) = a * E b l h + c * E b l h'.
Proof. induction l; intros h h' u c; simpl. reflexivity. rewrite !IHl. ring. Qed.

Lemma E_const b l c : E b l (fun _ => c) = c.
Proof. induction l; simpl. reflexivity. rewrite IHl. ring. Qed.

Lemma E_scal b l c : forall h, E b l (fun s => c * h s) = c * E b l h.
Proof. induction l; intro h; simpl. reflexivity. rewrite IHl. rewrite (IHl (fun s => h (a :: s))). ring. Qed.

Lemma E_nn b l h : 0 <= b <= 1 -> (forall s, 0 <= h s) -> 0 <= E b l h.
Proof. intros Hb H. rewrite <- (E_const b l 0). apply E_le; assumption. Qed.

(** An inequality for every sample holds on average. *)
Lemma E_bound b l x d u v : 0 <= b <= 1 -> (forall s, u s <= x * v s + d) -> E b l u <= x * E b l v + d.
Proof. intros Hb H. rewrite <- (E_const b l d). rewrite <- (Rmult_1_l (E b l (fun _ => d))). rewrite <- E_lin. apply E_le. exact Hb. intro s. rewrite Rmult_1_l. apply H. Qed.

Lemma E_app b l l' : forall h, E b (l ++ l') h = E b l (fun s => E b l' (fun s' => h (s ++ s'))).
Proof. induction l; intro h; simpl. reflexivity. rewrite !IHl. reflexivity. Qed.

(** The target is drawn, or it is not. *)
Lemma E_insert b l t l' h : E b (l ++ t :: l') h = (1 - b) * E b (l ++ l') h + b * E b l (fun s => E b l' (fun s' => h (s ++ t :: s'))).
Proof. rewrite !E_app. simpl. rewrite E_lin. reflexivity. Qed.

(** A sample of a sample is a sample. *)
Lemma two_stage a b l : forall h, E a l (fun s => E b s h) = E (a * b) l h.
Proof. induction l; intro h; simpl. reflexivity. rewrite IHl. rewrite E_lin. rewrite !IHl. ring. Qed.

(** For an algorithm that ignores the order of the rows, the order of the data does not matter. *)
Lemma E_permutation b l l' : Permutation l l' -> forall h, (forall s s', Permutation s s' -> h s = h s') -> E b l h = E b l' h.
Proof. intro P. induction P; intros h H; simpl.
 - reflexivity.
 - rewrite (IHP h H). rewrite (IHP (fun s => h (x :: s))). reflexivity. intros s s' Q. apply H. apply perm_skip. exact Q.
 - rewrite (E_ext b l (fun s => h (y :: x :: s)) (fun s => h (x :: y :: s))) by (intro s; apply H; apply perm_swap). ring.
 - rewrite (IHP1 h H). apply IHP2. exact H. Qed.

(** ** Sums over outputs *)

Lemma sum_over_ext {A : Type} (u v : A -> R) l : (forall a, u a = v a) -> sum_over u l = sum_over v l.
Proof. intro H. induction l; simpl. reflexivity. rewrite H, IHl. reflexivity. Qed.

Lemma sum_over_le {A : Type} (u v : A -> R) l : (forall a, u a <= v a) -> sum_over u l <= sum_over v l.
Proof. intro H. induction l; simpl. lra. apply Rplus_le_compat; [apply H | exact IHl]. Qed.

Lemma sum_over_lin {A : Type} (u v : A -> R) a c l : sum_over (fun o => a * u o + c * v o) l = a * sum_over u l + c * sum_over v l.
Proof. induction l; simpl. ring. rewrite IHl. ring. Qed.

Lemma sum_over_scal {A : Type} (u : A -> R) c l : sum_over (fun o => c * u o) l = c * sum_over u l.
Proof. induction l; simpl. ring. rewrite IHl. ring. Qed.

Lemma sum_over_nn {A : Type} (u : A -> R) l : (forall a, 0 <= u a) -> 0 <= sum_over u l.
Proof. intro H. induction l; simpl. lra. assert (Q := H a). lra. Qed.

Lemma sum_over_swap {A B : Type} (u : A -> B -> R) l m : sum_over (fun a => sum_over (u a) m) l = sum_over (fun c => sum_over (fun a => u a c) l) m.
Proof. induction l; simpl. induction m; simpl; [reflexivity | rewrite <- IHm; ring]. rewrite IHl. rewrite <- (Rmult_1_l (sum_over (u a) m)), <- (Rmult_1_l (sum_over (fun c => sum_over (fun a0 => u a0 c) l) m)). rewrite <- sum_over_lin. apply sum_over_ext. intro c. ring. Qed.

Lemma E_sum_over {A : Type} b D (u : list Row -> A -> R) l : E b D (fun T => sum_over (u T) l) = sum_over (fun o => E b D (fun T => u T o)) l.
Proof. induction l; simpl. apply E_const. rewrite <- IHl. rewrite <- (Rmult_1_l (E b D (fun T => u T a))), <- (Rmult_1_l (E b D (fun T => sum_over (u T) l))). rewrite <- E_lin. apply E_ext. intro s. ring. Qed.

(** The same for sums over counts. *)
Lemma E_sum b l : forall (h : nat -> list Row -> R) w M, sum (fun j => w j * E b l (h j)) M = E b l (fun s => sum (fun j => w j * h j s) M).
Proof. intros h w M. induction M; simpl. rewrite E_const. reflexivity. rewrite IHM.
 rewrite (E_ext b l (fun s => sum (fun j => w j * h j s) M + w M * h M s) (fun s => 1 * sum (fun j => w j * h j s) M + w M * h M s)) by (intros; ring). rewrite E_lin. ring. Qed.

End Expectation.
